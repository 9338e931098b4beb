import { type Api, type KubernetesObject, objectOf } from '../api/api.ts';

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Writes objects as `kubectl apply --server-side` does, found by kind as the server lists them. */
export class Applier {
  readonly #api: Api;
  readonly #known = new Map<string, readonly Resource[]>();

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * In their order. With `dryRun` the server checks and answers, and stores nothing.
   *
   * @throws Error with the server's message when one is refused
   */
  async apply(objects: readonly KubernetesObject[], dryRun = false): Promise<readonly KubernetesObject[]> {
    const applied: KubernetesObject[] = [];
    for (const object of objects) {
      const query = `fieldManager=tenure-test&force=true${dryRun ? '&dryRun=All' : ''}`;
      const answer = await this.#api.call('PATCH', `${await this.pathOf(object)}?${query}`, {
        contentType: 'application/apply-patch+yaml',
        body: object,
      });
      applied.push(objectOf(answer));
    }
    return applied;
  }

  async pathOf(object: KubernetesObject): Promise<string> {
    const { apiVersion, kind, metadata } = object;
    if (apiVersion === undefined || kind === undefined || metadata?.name === undefined) {
      throw new Error(`an object needs apiVersion, kind and metadata.name: ${JSON.stringify(object)}`);
    }
    const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const resource = (await this.#resources(group)).find((one) => one.kind === kind && !one.name.includes('/'));
    if (resource === undefined) throw new Error(`the API server knows no ${kind} of ${apiVersion}`);
    const place = resource.namespaced ? `/namespaces/${metadata.namespace ?? 'default'}` : '';
    return `${group}${place}/${resource.name}/${metadata.name}`;
  }

  async #resources(group: string): Promise<readonly Resource[]> {
    const known = this.#known.get(group);
    if (known !== undefined) return known;
    const list = objectOf(await this.#api.call('GET', group)) as { readonly resources?: readonly Resource[] };
    const resources = list.resources ?? [];
    this.#known.set(group, resources);
    return resources;
  }
}
