// Takes the write lock and changes a row; keeps both until told to commit, or until killed.
import { openConnection } from './open.mjs';

const connection = openConnection();
connection.exec("BEGIN IMMEDIATE; UPDATE lease SET holder = 'half done', version = version + 100");
process.on('message', () => {
  connection.exec('COMMIT');
  connection.close();
  process.disconnect();
});
process.send('locked');
