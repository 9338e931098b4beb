import type { SettingName } from './definitions.ts';

/** A setting as somebody wrote it, and where. */
export interface Given {
  readonly name: SettingName;
  /** `--election`, `TENURE_ELECTION`, `election in tenure.config.json`. */
  readonly where: string;
  readonly raw: string;
  /** What the source says it is: only a configuration file can hold anything but text. */
  readonly kind: 'text' | 'number' | 'boolean';
}
