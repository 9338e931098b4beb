import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawings, filesOf } from './diagrams.ts';

// npm runs this in the root of the repository.
const folder = join(process.cwd(), 'visualizations');
for (const [name, text] of filesOf(await drawings())) {
  writeFileSync(join(folder, name), text);
  console.log(`visualizations/${name}`);
}
