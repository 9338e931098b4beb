import type { BackendContext, OpenBackend } from '../../ports/backend.ts';
import { Api } from './api.ts';
import { KubernetesContainer } from './container.ts';
import { ContentReader } from './container-codec.ts';
import { Followed } from './followed.ts';
import { KubernetesLease } from './lease.ts';
import { leaseName, registerName } from './names.ts';
import { CONFIG_MAP, LEASE } from './objects.ts';
import { quietLeaseMs, quietRegisterMs } from './quiet.ts';
import type { Wire } from './wire.ts';

export interface OpenOptions {
  readonly wire: Wire;
  readonly namespace: string;
  /** For people. */
  readonly server: string;
  readonly foreignGraceMs: number;
  /** Called once, when everything of this election has ended. */
  readonly onClose: () => void;
}

/** One election over a way to an API server. Asks nothing yet: an API server that is away now is waited for. */
export function openElection(options: OpenOptions, context: BackendContext): OpenBackend {
  const { wire, namespace, server, foreignGraceMs, onClose } = options;
  const { election, clock, random } = context;
  const api = new Api(wire, namespace, clock);
  const report = (detail: string): void => context.onFinding?.({ code: 'backend-unavailable', detail });
  const name = leaseName(election);
  const register = registerName(election);
  const lease = new Followed({ api, kind: LEASE, name, random, quietMs: quietLeaseMs, report });
  const container = new Followed({ api, kind: CONFIG_MAP, name: register, random, quietMs: quietRegisterMs, report });
  const reader = new ContentReader((key, reason) => {
    const detail = `${key} of the ConfigMap ${register} is ignored: ${reason}`;
    context.onFinding?.({ code: 'store-unusable', detail });
  });
  let isOpen = true;
  return {
    place: `kubernetes (namespace ${namespace}, Lease ${name}, ${server})`,
    protection: 'lease',
    lease: new KubernetesLease({ api, followed: lease, name, foreignGraceMs }),
    register: new KubernetesContainer({ api, followed: container, reader, name: register }),
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      lease.close();
      container.close();
      api.close();
      onClose();
    },
  };
}
