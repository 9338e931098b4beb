// Holds the write lock of a SQLite file for a span, as a stray backup or a stuck transaction would.
import process from 'node:process';
import Database from 'libsql';

const [file, spanMs] = process.argv.slice(2);
const database = new Database(file);
database.exec('BEGIN IMMEDIATE');
process.stdout.write(`${JSON.stringify({ event: 'locked', at: String(process.hrtime.bigint()) })}\n`);
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(spanMs));
database.exec('COMMIT');
database.close();
process.stdout.write(`${JSON.stringify({ event: 'unlocked', at: String(process.hrtime.bigint()) })}\n`);
