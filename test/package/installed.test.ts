import { checkInstalled } from './installed-checks.ts';
import { installBeside } from './pack.ts';

checkInstalled('unpacked beside the dependencies of this repository', installBeside);
