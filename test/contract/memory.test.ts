import { describe, it } from 'vitest';
import { contractSuite } from '../../src/contract/index.ts';
import { MemoryBoard, memory } from '../../src/drivers/memory/index.ts';

contractSuite({
  name: 'memory',
  describe,
  it,
  emptyStore() {
    const board = new MemoryBoard();
    const removeLease = (election: string): void => board.election(election, () => '').lease.remove();
    return { backend: memory({ board }), removeLease };
  },
  capabilities: { protection: 'lease', survivesReopen: true, differences: true, removeLease: true },
});
