import type { SecureContextOptions } from 'node:tls';

/** What every connection is opened with. Compared by content: other certificates need other connections. */
export interface TlsMaterial {
  readonly ca?: SecureContextOptions['ca'];
  readonly cert?: SecureContextOptions['cert'];
  readonly key?: SecureContextOptions['key'];
  readonly pfx?: SecureContextOptions['pfx'];
  readonly passphrase?: string;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

export interface Credentials {
  /** Such as `Authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsMaterial;
}

/** Which API server, in which namespace, and as whom. */
export interface Access {
  readonly server: URL;
  readonly namespace: string;
  /** Asked before each request: files of tokens and certificates are replaced while a process runs. May reject. */
  credentials(): Promise<Credentials>;
  /** They were refused: what is kept of them is read anew. May reject. */
  renew(): Promise<void>;
}
