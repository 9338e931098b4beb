import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { contractSuite } from '../../src/contract/index.ts';
import { singleMaster } from '../../src/drivers/single-master/index.ts';
import { temporaryFolder } from '../drivers/engines.ts';

const capabilities = { protection: 'none', survivesReopen: true, differences: true, foreign: true } as const;

contractSuite({
  name: 'single-master, file',
  describe,
  it,
  boundMs: 15_000,
  emptyStore() {
    const { folder, remove } = temporaryFolder();
    const file = join(folder, 'leaders.json');
    const document = (): Record<string, unknown> => JSON.parse(readFileSync(file, 'utf8'));
    const others = (): unknown => ({ ...document(), tenure: undefined });
    const put = (): void => writeFileSync(file, JSON.stringify({ port: 8080, ...document(), nested: { a: [1] } }));
    const backend = singleMaster({ iKnowOnlyOneRuns: true, publish: file });
    const unusable = singleMaster({ iKnowOnlyOneRuns: true, publish: folder });
    return { backend, dispose: remove, foreign: { put, look: others }, unusable };
  },
  capabilities: { ...capabilities, failingOpen: true },
});

contractSuite({
  name: 'single-master, object',
  describe,
  it,
  emptyStore() {
    const board: Record<string, unknown> = {};
    const put = (): void => void Object.assign(board, { port: 8080, nested: { a: [1] } });
    const backend = singleMaster({ iKnowOnlyOneRuns: true, publish: board });
    return { backend, foreign: { put, look: () => ({ ...board, tenure: undefined }) } };
  },
  capabilities,
});
