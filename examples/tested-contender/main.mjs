// @ts-check
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const { resolve } = createRequire(import.meta.url);
const TENURE = join(dirname(resolve('tenure')), 'cli/main.js');
const VITEST = join(dirname(resolve('vitest/package.json')), 'vitest.mjs');

const execute = promisify(execFile);

/**
 * Generates the tests of one contender and runs them.
 * @param {string} contender @param {string} folder
 */
async function test(contender, folder) {
  const options = { cwd: HERE };
  await execute(process.execPath, [TENURE, 'generate-tests', '--out', folder, '--contender', contender], options);
  const report = join(folder, 'report.json');
  const args = ['run', folder, '--root', dirname(folder), '--reporter=json', `--outputFile=${report}`];
  // Vitest ends with 1 when a test fails; what failed is in its report.
  await execute(process.execPath, [VITEST, ...args], options).catch(() => {});
  const { testResults, numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));
  console.log(`${contender}: ${numPassedTests} walks passed, ${numFailedTests} failed`);
  /** @type {string[]} */
  const messages = testResults[0].assertionResults.flatMap(
    (/** @type {{ failureMessages: string[] }} */ one) => one.failureMessages,
  );
  const rules = messages.flatMap((message) => /^ {2}([a-z-]+): /m.exec(message)?.[1] ?? []);
  for (const rule of new Set(rules)) {
    const count = rules.filter((one) => one === rule).length;
    console.log(`  ${rule}, first broken on ${count} of them`);
  }
  const [first] = messages;
  if (first !== undefined) console.log(first.split('\n').slice(1, 3).join('\n'));
}

// Inside this folder, so that the tests find the packages of this project.
const folder = mkdtempSync(join(HERE, 'generated-'));
writeFileSync(join(folder, 'vitest.config.mjs'), 'export default {};\n');
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
process.once('SIGINT', () => process.exit(1));
process.once('SIGTERM', () => process.exit(1));

await test('contender.mjs#contender', join(folder, 'contender'));
await test('forgets-its-timer.mjs#contender', join(folder, 'forgets-its-timer'));
