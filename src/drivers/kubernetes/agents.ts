import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createSecureContext } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import type { TlsMaterial } from './access.ts';

/** Connections for calls, kept for the next ones; and for watches, one each. */
export interface Agents {
  readonly calls: HttpAgent;
  readonly watches: HttpAgent;
}

/** Enough for a process with a thousand elections; a connection carries some hundred calls a second. */
const MOST_CALLS_AT_ONCE = 32;

/** Idle longer than this, a connection may have been forgotten by something between; it is closed first. */
const IDLE_MS = 20_000;

/** The agents of one API server, made anew when certificates change. */
export class AgentPool {
  readonly #isSecure: boolean;
  #agents: Agents | null = null;
  #tls: TlsMaterial = {};

  constructor(isSecure: boolean) {
    this.#isSecure = isSecure;
  }

  with(tls: TlsMaterial): Agents {
    if (this.#agents === null || !isDeepStrictEqual(tls, this.#tls)) {
      // What is under way goes on with the old certificates; nothing new is.
      if (this.#agents !== null) this.closeIdle();
      this.#tls = tls;
      this.#agents = this.#isSecure ? secureAgents(tls) : plainAgents();
    }
    return this.#agents;
  }

  /** After a time-out: the others may be as dead as the one that did not answer. */
  closeIdle(): void {
    for (const sockets of Object.values(this.#agents?.calls.freeSockets ?? {})) {
      for (const socket of sockets ?? []) socket.destroy();
    }
  }

  close(): void {
    this.#agents?.calls.destroy();
    this.#agents?.watches.destroy();
    this.#agents = null;
  }
}

const CALLS = { keepAlive: true, maxSockets: MOST_CALLS_AT_ONCE, timeout: IDLE_MS };

/** @throws for certificates that cannot be read */
function secureAgents({ servername, rejectUnauthorized, ...material }: TlsMaterial): Agents {
  const own = {
    // Once for all connections: to read the certificates anew for each takes longer than the rest of connecting.
    secureContext: createSecureContext(material),
    ...(servername === undefined ? {} : { servername }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
  };
  return { calls: new HttpsAgent({ ...CALLS, ...own }), watches: new HttpsAgent({ keepAlive: false, ...own }) };
}

function plainAgents(): Agents {
  return { calls: new HttpAgent(CALLS), watches: new HttpAgent({ keepAlive: false }) };
}
