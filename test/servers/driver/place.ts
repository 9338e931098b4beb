import { onTestFinished } from 'vitest';
import { kubernetes as kubernetesBackend } from '../../../src/drivers/kubernetes/index.ts';
import { systemClock } from '../../../src/drivers/system/clock.ts';
import { systemRandom } from '../../../src/drivers/system/random.ts';
import { type Finding, openTenure, type Tenure, type TenureOptions } from '../../../src/index.ts';
import type { Backend, BackendFinding, OpenBackend } from '../../../src/ports/backend.ts';
import { type KubernetesObject, objectOf } from '../api/api.ts';
import type { Kubernetes } from '../kubernetes/kubernetes.ts';
import { FaultProxy } from '../proxy.ts';
import { namespace, rightsOf } from './rights.ts';

export const ELECTION = 'billing';
export const CALL = { timeoutMs: 2_000 };

let places = 0;

/** A namespace of its own, a way there through a fault proxy of its own, and one without it. */
export class Place {
  readonly kubernetes: Kubernetes;
  readonly namespace: string;
  readonly proxy: FaultProxy;

  private constructor(kubernetes: Kubernetes, namespace: string, proxy: FaultProxy) {
    this.kubernetes = kubernetes;
    this.namespace = namespace;
    this.proxy = proxy;
  }

  static async of(kubernetes: Kubernetes): Promise<Place> {
    const name = `place-${++places}`;
    await kubernetes.apply([namespace(name), ...rightsOf('tenure')]);
    const { url: target, credentials } = kubernetes;
    const proxy = await FaultProxy.start({ target, authority: credentials.authority });
    onTestFinished(() => proxy.close());
    return new Place(kubernetes, name, proxy);
  }

  async backend(way: 'direct' | 'proxied' = 'direct', user = 'tenure'): Promise<Backend> {
    const url = way === 'direct' ? this.kubernetes.url : this.proxy.url;
    const kubeconfig = await this.kubernetes.kubeconfig(user, { url, namespace: this.namespace });
    return kubernetesBackend({ kubeconfig });
  }

  /** The ports of one participant. */
  async open(backend: Backend): Promise<OpenBackend & { readonly findings: readonly BackendFinding[] }> {
    const findings: BackendFinding[] = [];
    const onFinding = (finding: BackendFinding): void => void findings.push(finding);
    const opened = await backend.open({
      election: ELECTION,
      identity: 'participant',
      clock: systemClock(),
      random: systemRandom(),
      onFinding,
    });
    onTestFinished(() => opened.close());
    return { ...opened, findings };
  }

  /** A participant by the public face, closed with the test. */
  async participant(
    name: string,
    backend: Backend,
    options: Partial<TenureOptions> = {},
  ): Promise<{ readonly tenure: Tenure; readonly findings: readonly Finding[] }> {
    const findings: Finding[] = [];
    const onFinding = (finding: Finding): void => void findings.push(finding);
    const tenure = await openTenure({ election: ELECTION, backend, name, onFinding, ...options });
    onTestFinished(() => tenure.close());
    return { tenure, findings };
  }

  leasePath(name = ELECTION): string {
    return `/apis/coordination.k8s.io/v1/namespaces/${this.namespace}/leases/${name}`;
  }

  mapPath(name = `${ELECTION}-leaders`): string {
    return `/api/v1/namespaces/${this.namespace}/configmaps/${name}`;
  }

  async read(path: string): Promise<KubernetesObject> {
    return objectOf(await this.kubernetes.admin.call('GET', path));
  }

  async replace(path: string, change: (object: KubernetesObject) => unknown): Promise<KubernetesObject> {
    const body = change(await this.read(path));
    return objectOf(await this.kubernetes.admin.call('PUT', path, { body }));
  }
}
