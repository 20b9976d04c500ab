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
