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
];
