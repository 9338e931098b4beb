// @ts-check
import { appendFile, readFile } from 'node:fs/promises';

/**
 * @typedef {object} Result
 * @property {number} night
 * @property {number} total
 * @property {string} fencingToken As text: JSON has no bigint.
 * @property {number} pid
 */

/**
 * One line, appended in one piece.
 * @param {string} file @param {Result} result
 */
export async function appendResult(file, result) {
  await appendFile(file, `${JSON.stringify(result)}\n`);
}

/**
 * What counts: the order of the lines is the order of the writes, so a token below an earlier one belongs to a leader
 * that had been replaced when its write arrived.
 * @param {string} file
 * @returns {Promise<Result[]>}
 */
export async function readResults(file) {
  const text = await readFile(file, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  let newest = 0n;
  /** @type {Result[]} */
  const results = [];
  for (const line of text.split('\n').filter((candidate) => candidate !== '')) {
    const result = /** @type {Result} */ (JSON.parse(line));
    const token = BigInt(result.fencingToken);
    if (token < newest) continue;
    newest = token;
    results.push(result);
  }
  return results;
}
