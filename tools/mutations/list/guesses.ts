/**
 * Mutations of the rules of guesses: wrong credentials are limited, and shut out nobody who has a right one.
 */
import type { Mutation } from '../mutation.ts';

export const guesses: readonly Mutation[] = [
  {
    rule: 'Guesses at licence keys are limited',
    file: 'control-plane/license/guesses.ts',
    text: 'ends > now && failures >= limit',
    replacement: 'ends > now && failures > limit + 1',
    tests: ['control-plane/license/test/guesses.test.ts'],
  },
  {
    rule: 'A valid licence key is served at the address of a guesser',
    file: 'control-plane/license/service.ts',
    text: 'const parsed = parseKey(key);',
    replacement: 'guesses.check([source]);\n  const parsed = parseKey(key);',
    tests: ['control-plane/test/credential-guesses.test.ts'],
  },
  {
    rule: 'A generated secret of the control plane is served at the address of a guesser',
    file: 'control-plane/access.ts',
    text: 'if (!isUnguessable(scope[secret])) scope.guesses.check(sources);',
    replacement: 'scope.guesses.check(sources);',
    tests: ['control-plane/test/credential-guesses.test.ts'],
  },
  {
    rule: 'A short secret is not compared for an address with too many wrong ones',
    file: 'control-plane/registry/secrets.ts',
    text: 'length >= unguessableLength',
    replacement: 'length > 0',
    tests: ['control-plane/test/credential-guesses.test.ts'],
  },
  {
    rule: 'Guesses at credentials of the control plane are counted apart by kind',
    file: 'control-plane/license/guesses.ts',
    text: "[kind, 'address',",
    replacement: "['address',",
    tests: ['control-plane/test/credential-guesses.test.ts'],
  },
  {
    rule: 'The secret of the publisher is served at the address of a guesser',
    file: 'control-plane/registry/gate.ts',
    text: 'if (isGuess && !isUnguessable(publishSecret))',
    replacement: 'if (isGuess)',
    tests: ['control-plane/registry/test/limits.test.ts'],
  },
  {
    rule: 'An IPv4 client is counted once, in whatever form of IPv6 its address comes',
    file: 'runtime/http/address.ts',
    text: '[0, 0, 0, 0, 0xffff, 0],',
    replacement: '',
    tests: ['runtime/http/test/rate-limit.test.ts', 'runtime/http/test/trusted-proxy.test.ts'],
  },
  {
    rule: 'A URL leads to no private address in the notation of IPv6',
    file: 'control-plane/addresses/addresses.ts',
    text: "['::ffff:0:0:0', 96],",
    replacement: '',
    tests: ['control-plane/test/backends.test.ts'],
  },
  {
    rule: 'A right one-time token is accepted at the address of a guesser',
    file: 'vendor/auth/invites.ts',
    text: 'const tokenHash = hashToken(token);',
    replacement:
      "await countWrongToken(db, { realm: 'staff', token: 'invite', address: client.address });\n  const tokenHash = hashToken(token);",
    tests: ['vendor/auth/test/attempts.test.ts'],
  },
  {
    rule: 'Wrong tokens are limited, and counted by what they are for',
    file: 'vendor/auth/attempts.ts',
    text: 'token address`;',
    replacement: 'token address` + Math.random();',
    tests: ['vendor/auth/test/attempts.test.ts', 'vendor/member/test/registration.test.ts'],
  },
  {
    rule: 'Wrong codes of others do not lock out a trusted device',
    file: 'vendor/auth/attempts.ts',
    text: '(device !== null && (await findFirstStored(db, [device])) !== null)',
    replacement: 'false',
    tests: ['vendor/auth/test/second-factor-log-ins.test.ts'],
  },
  {
    rule: 'A device that the account does not trust has no count of codes of its own',
    file: 'vendor/auth/attempts.ts',
    text: '(device !== null && (await findFirstStored(db, [device])) !== null)',
    replacement: 'device !== null',
    tests: ['vendor/auth/test/second-factor-log-ins.test.ts'],
  },
  {
    rule: 'Codes are limited by address',
    file: 'vendor/auth/attempts.ts',
    text: 'isKnown ? [own] : [ofAddress, own]',
    replacement: '[own]',
    tests: ['vendor/auth/test/second-factor-log-ins.test.ts'],
  },
  {
    rule: 'Guesses of a password elsewhere do not lock out an open session',
    file: 'vendor/auth/attempts.ts',
    text: 'const known = session ?? (',
    replacement: 'const known = (',
    tests: ['vendor/auth/test/attempts.test.ts'],
  },
  {
    rule: 'Log-ins do not share a limit with requests without a credential',
    file: 'vendor/auth/attempts.ts',
    text: "rateLimit: 'write' } as const",
    replacement: "rateLimit: 'login' } as const",
    tests: ['runtime/test/rate-limits.test.ts'],
  },
  {
    rule: 'The address behind a storefront is believed only with a credential',
    file: 'runtime/box/shopper-address.ts',
    text: "if (key === '') return false;",
    replacement: "if (key === '') return true;",
    tests: ['vendor/member/test/storefronts.test.ts'],
  },
  {
    rule: 'The address behind a storefront is believed only with a key that has the scope',
    file: 'vendor/api-key/access.ts',
    text: "key?.kind === 'secret' && permits(await permissionsOfKey(db, key), storefrontPermission)",
    replacement: "key?.kind === 'secret'",
    tests: ['vendor/member/test/storefronts.test.ts'],
  },
  {
    rule: 'Limits count the address behind a storefront',
    file: 'runtime/http/trusted-proxy.ts',
    text: 'request.ip = address;',
    replacement: 'if (address === undefined) request.ip = address;',
    tests: ['vendor/member/test/storefronts.test.ts'],
  },
];
