import { checkInstalled } from './installed-checks.ts';
import { installFromRegistry } from './pack.ts';

checkInstalled('installed by npm', installFromRegistry);
