import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Authority, type Pem, signingKey } from './certificates.ts';

export interface User {
  readonly name: string;
  readonly groups: readonly string[];
  readonly token: string;
}

/** What one suite's cluster is reached with, in files below its folder. */
export class Credentials {
  readonly authority: Authority;
  readonly users: ReadonlyMap<string, User>;
  readonly caFile: string;
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly signingKeyFile: string;
  readonly tokensFile: string;
  readonly #folder: string;
  #written = 0;

  private constructor(folder: string, authority: Authority, users: readonly User[]) {
    this.#folder = folder;
    this.authority = authority;
    this.users = new Map(users.map((user) => [user.name, user]));
    this.caFile = join(folder, 'ca.crt');
    this.certificateFile = join(folder, 'apiserver.crt');
    this.keyFile = join(folder, 'apiserver.key');
    this.signingKeyFile = join(folder, 'service-accounts.key');
    this.tokensFile = join(folder, 'tokens.csv');
  }

  static async create(folder: string, groupsOf: Readonly<Record<string, readonly string[]>>): Promise<Credentials> {
    const users = Object.entries({ admin: ['system:masters'], ...groupsOf }).map(([name, groups]) => {
      return { name, groups, token: `${name}-token` };
    });
    const made = new Credentials(folder, await Authority.create(), users);
    writeFileSync(made.caFile, made.authority.certificate);
    writeFileSync(made.signingKeyFile, signingKey());
    const lines = users.map((user) => `${user.token},${user.name},${user.name},"${user.groups.join(',')}"\n`);
    writeFileSync(made.tokensFile, lines.join(''));
    made.replaceCertificate(await made.authority.issue({ name: 'kube-apiserver', use: 'server' }));
    return made;
  }

  /** The API server reads the files again by itself, within a minute; at once when it is restarted. */
  replaceCertificate(pem: Pem): void {
    for (const [file, text] of [
      [this.certificateFile, pem.certificate],
      [this.keyFile, pem.key],
    ] as const) {
      writeFileSync(`${file}.new`, text);
      renameSync(`${file}.new`, file);
    }
  }

  user(name: string): User {
    const user = this.users.get(name);
    if (user !== undefined) return user;
    throw new Error(`no user ${name}: the suite was started with ${[...this.users.keys()].join(', ')}`);
  }

  /** A kubeconfig, as JSON (which is YAML), for a server and a way to say who one is. Its path. */
  writeKubeconfig(server: string, namespace: string, user: Readonly<Record<string, string>>): string {
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'test',
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace } }],
      clusters: [{ name: 'test', cluster: { server, 'certificate-authority': this.caFile } }],
      users: [{ name: 'test', user }],
    };
    this.#written++;
    const path = join(this.#folder, `kubeconfig-${this.#written}.json`);
    writeFileSync(path, JSON.stringify(config, null, 2), { mode: 0o600 });
    return path;
  }

  /** The files that a pod finds, below a folder that stands for its root. */
  writePod(token: string, namespace: string): string {
    this.#written++;
    const root = join(this.#folder, `pod-${this.#written}`);
    const secrets = join(root, 'var/run/secrets/kubernetes.io/serviceaccount');
    mkdirSync(secrets, { recursive: true });
    writeFileSync(join(secrets, 'token'), token, { mode: 0o600 });
    writeFileSync(join(secrets, 'namespace'), namespace);
    writeFileSync(join(secrets, 'ca.crt'), this.authority.certificate);
    return root;
  }
}
