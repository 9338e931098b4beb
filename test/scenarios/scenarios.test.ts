import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { settle } from '../../src/simulation/settle.ts';
import { commands, runCommand } from './commands.ts';
import { parseStory, printStory, type Story, settingOf } from './story.ts';
import { World } from './world.ts';

const FOLDER = import.meta.dirname;
const isUpdate = process.env.UPDATE === '1';
const stories = readdirSync(FOLDER).filter((file) => file.endsWith('.txt'));

/** Plays a story and answers it as it should be recorded, with what it broke. */
async function play(story: Story): Promise<{ readonly text: string; readonly broken: readonly string[] }> {
  const world = new World({ show: settingOf(story, 'show') ?? ['leadership'], hide: settingOf(story, 'hide') ?? [] });
  const blocks: Story['blocks'][number][] = [];
  for (const block of story.blocks) {
    for (const line of block.commands) {
      await runCommand(world, line);
      await settle();
    }
    blocks.push({ ...block, recorded: world.takeLines() });
  }
  return { text: printStory({ ...story, blocks }), broken: await world.finish() };
}

describe('stories', () => {
  it.each(stories)('%s', async (file) => {
    const path = join(FOLDER, file);
    const story = parseStory(readFileSync(path, 'utf8'));
    const first = await play(story);
    const allowed = settingOf(story, 'breaks') ?? [];
    const broken = first.broken.filter((violation) => !allowed.includes(violation.split(':')[0] ?? ''));
    expect(broken, 'invariants hold over the whole story').toEqual([]);
    for (const id of allowed) expect(first.broken.join('\n'), `${id} is really broken by hand`).toContain(`${id}: `);
    const second = await play(story);
    expect(second.text, 'the same story plays the same twice').toBe(first.text);
    if (isUpdate) writeFileSync(path, first.text);
    expect(readFileSync(path, 'utf8'), `recorded in ${file}; UPDATE=1 writes it anew`).toBe(first.text);
  });

  it('has a reason at the head of each, and at least 24 of them', () => {
    const without = stories.filter((file) => !/^# \S/.test(readFileSync(join(FOLDER, file), 'utf8')));
    expect(without).toEqual([]);
    expect(stories.length).toBeGreaterThanOrEqual(24);
  });

  it('documents every command', () => {
    const readme = readFileSync(join(FOLDER, 'README.md'), 'utf8');
    const missing = Object.values(commands).filter(
      ({ usage }) => !readme.includes(`\`${usage.replaceAll('|', '\\|')}\``),
    );
    expect(missing.map(({ usage, says }) => `| \`${usage}\` | ${says} |`)).toEqual([]);
  });
});
