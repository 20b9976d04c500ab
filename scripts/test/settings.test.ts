/**
 * Defaults of settings match their schemas: only settings that are set are validated at the start.
 */
import { faults, object } from '@carton/runtime';
import { packagesOfTier, sourceRoot } from '@carton/runtime/testing';
import t from 'tap';
import { settings as ofControlPlane } from '../../control-plane/config.ts';
import { settings as ofBox } from '../../runtime/config.ts';
import { loadPackages } from '../../runtime/package/load.ts';

t.test('every default is valid', async (t) => {
  const packages = await loadPackages(packagesOfTier('enterprise'), sourceRoot);
  const all = [ofBox, ofControlPlane, ...packages.map(({ settings }) => settings?.properties ?? {})].flatMap(
    Object.entries,
  );
  const withDefault = all.filter(([, { default: value }]) => value !== undefined);
  const invalid = withDefault.flatMap(
    ([name, schema]) => faults(object({ [name]: schema }), { [name]: schema.default }) ?? [],
  );
  t.strictSame(invalid, []);
  t.ok(withDefault.length > 40, 'the settings are found');
});

t.test('every setting that is a secret is declared as one, so that commands do not show it', async (t) => {
  const packages = await loadPackages(packagesOfTier('enterprise'), sourceRoot);
  const all = [ofBox, ...packages.map(({ settings }) => settings?.properties ?? {})].flatMap(Object.entries);
  t.strictSame(
    all.filter(([, { writeOnly }]) => writeOnly).map(([name]) => name),
    [
      'DATABASE_URL',
      'METRICS_SECRET',
      'OPERATOR_SECRET',
      'HOSTING_SECRET',
      'SECOND_FACTOR_KEY',
      'MEDIA_S3_SECRET_ACCESS_KEY',
      'EASYPOST_API_KEY',
      'SMTP_PASSWORD',
      'STRIPE_SECRET_KEY',
      'STRIPE_WEBHOOK_SECRET',
    ],
  );
  const suspicious = all.filter(([name]) => /SECRET|PASSWORD|TOKEN|_KEY$|DATABASE_URL/.test(name));
  t.strictSame(
    suspicious.filter(([, { writeOnly }]) => !writeOnly).map(([name]) => name),
    ['STRIPE_PUBLISHABLE_KEY'],
  );
});
