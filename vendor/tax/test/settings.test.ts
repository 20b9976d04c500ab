/**
 * Settings of taxes: the providers of a box are those of its packages that the setting names.
 */
import { gatherExtensions } from '@carton/runtime/testing';
import t from 'tap';
import { connectedProviders, providerSettings, taxProviders } from '../providers/settings.ts';

const provider = (name: string) => ({ name, connect: async () => null });

/** What the start of a box with these providers reads and checks. */
function start(TAX_PROVIDERS: string) {
  const contributed = ['acme', 'stripe'].map((name) => taxProviders.with(provider(name)));
  const box = { extensions: gatherExtensions([...contributed, providerSettings.read({ TAX_PROVIDERS })]) };
  providerSettings.check(box);
  return connectedProviders(box).map(({ name }) => name);
}

t.test('a box is connected to the providers that the setting names', async (t) => {
  t.strictSame(start(''), []);
  t.strictSame(start('stripe'), ['stripe']);
  t.strictSame(start(' stripe, acme,'), ['acme', 'stripe']);
  t.throws(() => start('stripe,avalara'), {
    message: 'invalid setting: TAX_PROVIDERS names "avalara", which is not one of acme, stripe',
  });
});
