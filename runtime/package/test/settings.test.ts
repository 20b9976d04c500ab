/**
 * Settings of packages: read once at the start, which fails for invalid ones.
 */
import t from 'tap';
import { extensionPoint, gatherExtensions } from '../../extension/extension.ts';
import { Type } from '../../http/schemas.ts';
import { checkPackageSettings, packageSettings, readPackageSettings } from '../settings.ts';

const mail = packageSettings({
  MAIL_FROM: Type.String({ minLength: 3, default: 'shop@example.com', description: 'Sender' }),
  MAIL_TRIES: Type.Optional(Type.Integer({ minimum: 1, description: 'How often' })),
});
const colors = packageSettings({ COLORS: Type.String({ default: '' }) }, ({ COLORS }) => {
  if (COLORS.includes('pink')) throw new Error('COLORS: no pink');
  return COLORS.split(',');
});

/** Starts a box with these packages. */
function start(environment: NodeJS.ProcessEnv, reserved: string[] = []) {
  const packages = [
    { fullName: '@example/mail', settings: mail },
    { fullName: '@example/none' },
    { fullName: '@example/colors', settings: colors },
  ];
  return { extensions: gatherExtensions(readPackageSettings(packages, environment, reserved)) };
}

t.test('a package gets its settings, typed and with defaults', async (t) => {
  const box = start({ MAIL_TRIES: '3', COLORS: 'red,blue', PATH: '/bin' });
  t.strictSame(mail.of(box), { MAIL_FROM: 'shop@example.com', MAIL_TRIES: 3 });
  t.strictSame(colors.of(box), ['red', 'blue'], 'transformed');
  const other = start({ MAIL_FROM: '' });
  t.strictSame(mail.of(other), { MAIL_FROM: 'shop@example.com' }, 'separately for each box');
  t.throws(() => mail.of({ extensions: new Map() }), { message: 'no mounted package declares MAIL_FROM, MAIL_TRIES' });
});

t.test('an invalid setting fails the start and is named', async (t) => {
  for (const [environment, message] of [
    [{ MAIL_TRIES: '0' }, 'invalid setting: MAIL_TRIES must be >= 1'],
    [{ MAIL_TRIES: 'often' }, 'invalid setting: MAIL_TRIES must be integer'],
    [{ COLORS: 'pink' }, 'invalid setting: COLORS: no pink'],
  ] as const) {
    t.throws(() => start(environment), { message });
  }
  t.throws(() => start({}, ['COLORS']), {
    message: 'the setting COLORS is declared by the box and by @example/colors',
  });
});

t.test('settings are checked against what other packages contribute, and against their settings', async (t) => {
  const paints = extensionPoint<string>('paints');
  const walls = packageSettings(
    { WALL: Type.String({ default: 'red' }) },
    ({ WALL }) => WALL,
    (wall, box) => {
      if (![...paints.of(box), ...colors.of(box)].includes(wall)) throw new Error(`WALL: no ${wall}`);
    },
  );
  const packages = [
    { fullName: '@example/walls', settings: walls, extends: [] },
    { fullName: '@example/colors', settings: colors, extends: [paints.with('white')] },
  ];
  const check = (environment: NodeJS.ProcessEnv, checked = packages) =>
    checkPackageSettings(packages, readPackageSettings(packages, environment, []), checked);
  check({ WALL: 'white' });
  check({ WALL: 'blue', COLORS: 'red,blue' });
  t.throws(() => check({ WALL: 'blue' }), { message: 'invalid setting: WALL: no blue' });
  check({ WALL: 'blue' }, packages.slice(1));
});
