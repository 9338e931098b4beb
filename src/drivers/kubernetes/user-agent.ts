import { createRequire } from 'node:module';
import { isRecord } from './objects.ts';

/** Who asks, in the API server's own records and flow control: `tenure/1.2.3 (node 20.19.0; linux/x64)`. */
export function userAgent(): string {
  return `tenure/${ownVersion()} (node ${process.versions.node}; ${process.platform}/${process.arch})`;
}

function ownVersion(): string {
  const require = createRequire(import.meta.url);
  // One level deeper in `dist` than in the sources; neither where an application was bundled into one file.
  for (const up of ['../../../package.json', '../../../../package.json']) {
    try {
      const found: unknown = require(up);
      if (isRecord(found) && found.name === 'tenure' && typeof found.version === 'string') return found.version;
    } catch {
      // Not there: the next place.
    }
  }
  return 'bundled';
}
