/** A few files in memory and where exactly a rule must find something: `file:line`, none for an innocent. */
export interface Planted {
  readonly rule: string;
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  readonly caught: readonly string[];
}
