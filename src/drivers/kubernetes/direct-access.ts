import { readFile } from 'node:fs/promises';
import type { Access, Credentials } from './access.ts';

/** An API server named outright. Needs no other package. */
export interface ClusterAccess {
  /** `https://host:port`, or `http://…` for a local proxy such as `kubectl proxy`. */
  readonly server: string;
  /** Bearer token. */
  readonly token?: string;
  /** File of a bearer token, read before each request. */
  readonly tokenFile?: string;
  /** Certificates (PEM) that the server's is checked with. Default: those of Node. */
  readonly ca?: string;
  readonly caFile?: string;
  /** Certificate and key (PEM) of the client. */
  readonly cert?: string;
  readonly key?: string;
}

export function directAccess(cluster: ClusterAccess, namespace: string): Access {
  return {
    server: new URL(cluster.server),
    namespace,
    credentials: () => credentialsOf(cluster),
    // Nothing is kept between requests.
    renew: async () => {},
  };
}

async function credentialsOf({ token, tokenFile, ca, caFile, cert, key }: ClusterAccess): Promise<Credentials> {
  const bearer = tokenFile === undefined ? token : (await readFile(tokenFile, 'utf8')).trim();
  const authority = caFile === undefined ? ca : await readFile(caFile, 'utf8');
  return {
    headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
    tls: {
      ...(authority === undefined ? {} : { ca: authority }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    },
  };
}
