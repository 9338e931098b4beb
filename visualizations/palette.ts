/** Hues of the inspector: one a state, always beside its glyph and its word. visualizations/README.md has the drawing rules. */
export type Hue = 'quiet' | 'standby' | 'grant' | 'confirm' | 'confirmed' | 'revoked';

export type Glyph = 'ring' | 'quarter' | 'half' | 'full' | 'octagon' | 'down' | 'square' | 'question';

interface Look {
  readonly hue: Hue;
  readonly glyph: Glyph;
}

/** By the key of a state at the top of its machine; substates take the hue of their parent. */
const LOOKS: Readonly<Record<string, Look>> = {
  standby: { hue: 'standby', glyph: 'ring' },
  idle: { hue: 'standby', glyph: 'ring' },
  vacant: { hue: 'standby', glyph: 'ring' },
  free: { hue: 'standby', glyph: 'ring' },
  yielding: { hue: 'standby', glyph: 'ring' },
  opening: { hue: 'grant', glyph: 'quarter' },
  contending: { hue: 'grant', glyph: 'quarter' },
  'grant-pending': { hue: 'grant', glyph: 'quarter' },
  'confirm-pending': { hue: 'confirm', glyph: 'half' },
  writing: { hue: 'confirm', glyph: 'half' },
  suspended: { hue: 'confirm', glyph: 'half' },
  superseded: { hue: 'confirm', glyph: 'half' },
  confirmed: { hue: 'confirmed', glyph: 'full' },
  leading: { hue: 'confirmed', glyph: 'full' },
  holding: { hue: 'confirmed', glyph: 'full' },
  held: { hue: 'confirmed', glyph: 'full' },
  ready: { hue: 'confirmed', glyph: 'full' },
  fresh: { hue: 'confirmed', glyph: 'full' },
  known: { hue: 'confirmed', glyph: 'full' },
  revoked: { hue: 'revoked', glyph: 'octagon' },
  fenced: { hue: 'revoked', glyph: 'octagon' },
  lapsed: { hue: 'revoked', glyph: 'octagon' },
  withdrawing: { hue: 'quiet', glyph: 'down' },
  releasing: { hue: 'quiet', glyph: 'down' },
  ceding: { hue: 'quiet', glyph: 'down' },
  resting: { hue: 'quiet', glyph: 'down' },
  halting: { hue: 'quiet', glyph: 'down' },
  stopping: { hue: 'quiet', glyph: 'down' },
  returning: { hue: 'quiet', glyph: 'down' },
  shut: { hue: 'quiet', glyph: 'square' },
  closed: { hue: 'quiet', glyph: 'square' },
  looking: { hue: 'quiet', glyph: 'question' },
  resolving: { hue: 'quiet', glyph: 'question' },
  unknown: { hue: 'quiet', glyph: 'question' },
};

export function lookOf(path: string): Look {
  const [top = ''] = path.split('.');
  return LOOKS[top] ?? { hue: 'quiet', glyph: 'ring' };
}

interface Colours {
  readonly ground: Readonly<Record<string, string>>;
  readonly hues: Readonly<Record<Hue, readonly [ink: string, tint: string]>>;
}

const LIGHT: Colours = {
  ground: { bg: '#ffffff', panel: '#ffffff', edge: '#7c8691', ink: '#14181d', ink2: '#3b444f', ink3: '#59636f' },
  hues: {
    quiet: ['#4a525e', '#e8ebef'],
    standby: ['#5f6a77', '#eef0f3'],
    grant: ['#665200', '#fbf3cf'],
    confirm: ['#b34206', '#fdeee4'],
    confirmed: ['#0a5fae', '#e3effa'],
    revoked: ['#970f55', '#fae6f0'],
  },
};

const DARK: Colours = {
  ground: { bg: '#0c0f13', panel: '#13171d', edge: '#67737f', ink: '#edf1f5', ink2: '#c0c8d2', ink3: '#929daa' },
  hues: {
    quiet: ['#b3bdc9', '#232a33'],
    standby: ['#97a2af', '#1d232b'],
    grant: ['#f2dc74', '#322d14'],
    confirm: ['#f0883f', '#38220f'],
    confirmed: ['#62b3f2', '#10293f'],
    revoked: ['#ff9dcb', '#3b1629'],
  },
};

function rules({ ground, hues }: Colours): string {
  const { bg, panel, edge, ink, ink2, ink3 } = ground;
  const base = [
    `.bg{fill:${bg}}`,
    `.leaf{fill:${panel};stroke:${edge}}`,
    `.line{stroke:${edge}}`,
    `.tip,.dot{fill:${edge}}`,
    `.name{fill:${ink}}`,
    `.mark{fill:${ink3}}`,
    `.label{fill:${ink2}}`,
    `.on-bg{fill:${bg}}`,
  ];
  const coloured = Object.entries(hues).map(
    ([hue, [colour, tint]]) =>
      `.${hue} .box{fill:${tint};stroke:${colour}}.${hue} .glyph{fill:${colour};stroke:${colour}}` +
      `.${hue} .cut{stroke:${panel}}.on-${hue}{fill:${tint}}`,
  );
  return [...base, ...coloured].join('\n');
}

/** Follows the reader's light or dark setting, in a page and as a picture. */
export const STYLE = `text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
.name{font-size:13px;font-weight:600}
.mark,.label{font-size:11px}
.box,.leaf{stroke-width:1}
.line{fill:none;stroke-width:1.25}
.glyph{stroke-width:1.5}
.cut{fill:none;stroke-width:1.5}
${rules(LIGHT)}
@media (prefers-color-scheme: dark){
${rules(DARK)}
}
.glyph.hollow,.box.hollow{fill:none}`;
