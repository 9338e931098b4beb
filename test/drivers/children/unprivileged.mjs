// Gives root's rights away, where it has them, and reports how opening the file fails then.
import { openBackend } from './open.mjs';

if (process.getuid() === 0) {
  process.setgid(65534);
  process.setuid(65534);
}
const { code, message } = await openBackend().catch((error) => error);
process.send({ code, message }, () => process.disconnect());
