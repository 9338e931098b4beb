// Adds up the tiers of .ci/run: vitest's counts where a tier left them, else one check passed or failed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const directory = process.argv[2];
const total = { passed: 0, failed: 0, skipped: 0 };
const names = readdirSync(directory)
  .filter((name) => name.endsWith('.code'))
  .map((name) => name.slice(0, -'.code'.length));

for (const name of names) {
  const exitCode = Number(readFileSync(join(directory, `${name}.code`), 'utf8'));
  const counts = countsOf(name) ?? { passed: exitCode === 0 ? 1 : 0, failed: 0, skipped: 0 };
  // A tier can fail without a failed test: a file that does not load, an unhandled rejection, a build that breaks.
  if (exitCode !== 0 && counts.failed === 0) counts.failed = 1;
  console.log(`${name.padEnd(16)} ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  for (const key of Object.keys(total)) total[key] += counts[key];
}

console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(names.length > 0 && total.failed === 0 ? 0 : 1);

function countsOf(name) {
  let report;
  try {
    report = JSON.parse(readFileSync(join(directory, `${name}.json`), 'utf8'));
  } catch {
    return null;
  }
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}
