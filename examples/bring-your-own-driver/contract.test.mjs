// @ts-check
import { describe, it } from 'node:test';
import { contractSuite } from 'tenure/contract';
import { keyValue } from './backend.mjs';
import { KeyValueStore } from './key-value.mjs';

contractSuite({
  name: 'key-value',
  describe,
  it,
  emptyStore: () => ({ backend: keyValue(new KeyValueStore()) }),
  capabilities: { protection: 'lease', survivesReopen: true },
});
