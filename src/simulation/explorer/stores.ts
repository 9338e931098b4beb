import { componentName, entryNews, FENCE_NEWS, LEASE_NEWS, type Message, type Scope, type Shared } from './model.ts';
import { type Note, type Parts, Pool, type Request, text } from './parts.ts';
import {
  type Applied,
  askStepDown,
  edit,
  entryOf,
  fenceOf,
  type Moved,
  recordOf,
  type StoreRules,
  shippedStore,
} from './store.ts';
import { LEASE_MOVED, REGISTER_MOVED, type VersionMap } from './versions.ts';

/** What others are told of a write: which versions are older now, and what their watches will report. */
export interface Change {
  readonly id: number;
  readonly map: VersionMap;
  readonly news: number;
}

/** The store in one state. */
export interface Store {
  readonly id: number;
  readonly is: Shared;
  readonly applied: Map<number, Effect | null>;
  /** What watches say of it. */
  readonly news: Map<number, Note>;
}

export interface Effect {
  readonly store: Store;
  readonly takesLease: boolean;
  readonly answer: Note;
  readonly change: Change | null;
  readonly broken: string | null;
}

/** What somebody did to the store by hand. */
export interface Edited {
  readonly store: Store;
  readonly change: Change;
}

/** Every state that the store was ever in; a call is carried out once in each. */
export class Stores {
  readonly #pool = new Pool<Store>();
  readonly #changes = new Pool<Change>();
  readonly #scope: Scope;
  readonly #parts: Parts;
  readonly #rules: StoreRules;

  constructor(scope: Scope, parts: Parts, rules: StoreRules = shippedStore) {
    this.#scope = scope;
    this.#parts = parts;
    this.#rules = rules;
  }

  get size(): number {
    return this.#pool.all.length;
  }

  at(id: number): Store {
    return this.#pool.all[id] as Store;
  }

  changeAt(id: number): Change {
    return this.#changes.all[id] as Change;
  }

  take(is: Shared): Store {
    return this.#pool.take(text(is), (id) => ({ id, is, applied: new Map(), news: new Map() }));
  }

  /** `null`: beyond the scope. */
  apply(store: Store, request: Request, isHolder: boolean): Effect | null {
    const key = request.id * 2 + (isHolder ? 1 : 0);
    const known = store.applied.get(key);
    if (known !== undefined) return known;
    const { call } = request;
    const applied =
      call.port === 'lease'
        ? this.#rules.lease(this.#scope, store.is, call, isHolder)
        : this.#rules.container(store.is, call);
    const effect = applied && this.#effect(applied);
    store.applied.set(key, effect);
    return effect;
  }

  edit(store: Store, component: number, token: 0 | -1): Edited {
    const { shared, moved } = edit(store.is, component, token);
    return { store: this.take(shared), change: this.#change(moved) };
  }

  askStepDown(store: Store): Edited | null {
    const asked = askStepDown(store.is);
    return asked && { store: this.take(asked.shared), change: this.#change(asked.moved) };
  }

  recordSeen(store: Store, isHolder: boolean): Note {
    return this.#told(store, isHolder ? -1 : -2, () => {
      return { type: 'record.seen', record: recordOf(store.is, isHolder), nowMs: 0 } as Message;
    });
  }

  registerObserved(store: Store, news: number): Note {
    return this.#told(store, news, () => {
      const changed = new Map(
        store.is.entries.flatMap((token, at) =>
          (news & entryNews(at)) === 0 ? [] : [[componentName(at), entryOf(token)] as const],
        ),
      );
      return { type: 'register.observed', version: 0n, fence: fenceOf(store.is), changed } as Message;
    });
  }

  #told(store: Store, key: number, message: () => Message): Note {
    const known = store.news.get(key);
    if (known !== undefined) return known;
    const note = this.#parts.note(message());
    store.news.set(key, note);
    return note;
  }

  #effect({ shared, takesLease, answer, moved, broken }: Applied): Effect {
    const store = this.take(shared);
    return { store, takesLease, answer: this.#parts.note(answer), change: moved && this.#change(moved), broken };
  }

  #change(moved: Moved): Change {
    let news = (moved.lease ? LEASE_NEWS : 0) | (moved.fence ? FENCE_NEWS : 0);
    moved.entries.forEach((isNew, at) => {
      if (isNew) news |= entryNews(at);
    });
    const map = moved.lease ? LEASE_MOVED : REGISTER_MOVED;
    return this.#changes.take(`${map.key}${news}`, (id) => ({ id, map, news }));
  }
}
