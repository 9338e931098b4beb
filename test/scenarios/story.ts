/** A story file: `#` comments, then blocks of command lines, `----`, and what was recorded. */
export interface Block {
  readonly commands: readonly string[];
  readonly recorded: readonly string[];
}

export interface Story {
  /** Comment lines, without blocks: the why, and the settings `# show:` and `# hide:`. */
  readonly head: readonly string[];
  readonly blocks: readonly (Block & { readonly comments: readonly string[] })[];
}

const RULE = '----';

export function parseStory(text: string): Story {
  const head: string[] = [];
  const blocks: (Block & { comments: string[] })[] = [];
  for (const paragraph of text.trim().split(/\n\s*\n/)) {
    const lines = paragraph.split('\n');
    const rule = lines.indexOf(RULE);
    const before = rule < 0 ? lines : lines.slice(0, rule);
    const comments = before.filter((line) => line.startsWith('#'));
    const commands = before.filter((line) => !line.startsWith('#') && line.trim() !== '');
    if (commands.length > 0) blocks.push({ comments, commands, recorded: rule < 0 ? [] : lines.slice(rule + 1) });
    else if (blocks.length === 0) head.push(...comments);
    else throw new Error(`a comment without a command: ${comments.join(' ')}`);
  }
  return { head, blocks };
}

export function printStory({ head, blocks }: Story): string {
  const paragraphs = blocks.map(({ comments, commands, recorded }) =>
    [...comments, ...commands, RULE, ...recorded].join('\n'),
  );
  return `${[head.join('\n'), ...paragraphs].filter((paragraph) => paragraph !== '').join('\n\n')}\n`;
}

/** The words behind `# name:` in the head; null when the head does not say it. */
export function settingOf({ head }: Story, name: string): readonly string[] | null {
  const line = head.find((one) => one.startsWith(`# ${name}:`));
  return line === undefined
    ? null
    : line
        .slice(name.length + 3)
        .trim()
        .split(/\s+/);
}
