import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_EXPORTS } from '../tidy/facade.ts';
import { COMMON_JS, EXPORTS, SESSION, TSCONFIG, TYPES } from './consumer-files.ts';
import { type Consumer, consumer, link, ROOT, readManifest, run } from './pack.ts';

/** The checks of an installed package, however it was installed. */
export function checkInstalled(how: string, install: Parameters<typeof consumer>[0]): void {
  describe(`the package, ${how}`, () => {
    let user: Consumer;

    beforeAll(async () => {
      expect(existsSync(join(ROOT, 'dist/src/index.js')), 'nothing is built: npm run build').toBe(true);
      user = await consumer(install);
      const files = { 'session.js': SESSION, 'exports.js': EXPORTS, 'common.cjs': COMMON_JS, 'types.ts': TYPES };
      for (const [name, text] of Object.entries(files)) await writeFile(join(user.folder, name), text);
      await writeFile(join(user.folder, 'tsconfig.json'), TSCONFIG);
    });

    afterAll(() => user.remove());

    const node = async (...args: readonly string[]): Promise<string> => {
      const { stdout, stderr } = await run(user.folder, process.execPath, ...args);
      expect(stderr).toBe('');
      return stdout;
    };

    it('holds the build, the diagrams and nothing of the workshop', () => {
      const stray = user.files.filter(
        (file) => !/^(?:dist\/(?:machines|src)\/|visualizations\/|[A-Z]+|package)/.test(file),
      );
      expect(stray).toEqual([]);
      expect(user.files).toEqual(expect.arrayContaining(['LICENSE', 'package.json', 'visualizations/leadership.svg']));
    });

    it('exports what package.json names, and few things from its face', async () => {
      const manifest = await readManifest(ROOT);
      const specifiers = Object.keys(manifest.exports).map((path) => path.replace('.', 'tenure'));
      const found = JSON.parse(await node('exports.js', ...specifiers)) as Record<string, readonly string[]>;
      expect(Object.keys(found)).toEqual(specifiers);
      expect(specifiers.filter((specifier) => found[specifier]?.length === 0)).toEqual([]);
      expect(found.tenure?.length).toBeLessThanOrEqual(MAX_EXPORTS);
    });

    it.each(['memory', 'sqlite'])('leads, confirms, is followed and closes on %s', async (backend) => {
      const { stdout } = await run(user.folder, process.execPath, 'session.js', backend);
      const { xstate, ...seen } = JSON.parse(stdout) as Record<string, unknown>;
      expect(seen).toEqual({ wasCurrent: true, seen: 'http://127.0.0.1:1', phase: 'closed' });
      expect(xstate, 'the build of XState that users run').not.toContain('development');
    });

    it('can be required from CommonJS', async () => {
      const { stdout } = await run(user.folder, process.execPath, 'common.cjs');
      expect(stdout).toBe('function TenureError leadership\n');
    });

    it('has types that a strict consumer can use', async () => {
      if (!existsSync(join(user.folder, 'node_modules/@types/node'))) {
        await link(join(ROOT, 'node_modules/@types/node'), join(user.folder, 'node_modules/@types/node'));
      }
      const { stdout } = await run(user.folder, process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc'));
      expect(stdout).toBe('');
    });

    it('brings the tenure command', async () => {
      const { version } = await readManifest(ROOT);
      expect((await run(user.folder, 'npx', '--no', '--', 'tenure', '--version')).stdout.trim()).toBe(version);
      expect((await run(user.folder, 'npx', '--no', '--', 'tenure', '--help')).stdout).toMatch(/Usage: tenure/);
    });
  });
}
