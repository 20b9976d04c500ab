/**
 * Mutations of the rules of accounts that others want to take: members, and the keys and mails that lead to them.
 */
import type { Mutation } from '../mutation.ts';

export const accounts: readonly Mutation[] = [
  {
    rule: 'The password of a registration counts only in its session',
    file: 'vendor/member/links.ts',
    text: 'return sessionHash !== null && sessionHash === used.hash;',
    replacement: 'return sessionHash !== null && used.hash !== undefined;',
    tests: ['vendor/order/test/taken-accounts.test.ts'],
  },
  {
    rule: 'A password of before the verification ends',
    file: 'vendor/member/accounts.ts',
    text: '    passwordHash,\n    ...consent,',
    replacement: '    ...(passwordHash && { passwordHash }),\n    ...consent,',
    tests: ['vendor/order/test/taken-accounts.test.ts'],
  },
  {
    rule: 'A session of before the verification ends',
    file: 'vendor/member/registration.ts',
    text: 'await endAccess(tx, account, isOwn ? shown.sessionHash : null);',
    replacement: '',
    tests: ['vendor/order/test/taken-accounts.test.ts'],
  },
  {
    rule: 'What an attacker has entered is not the profile of an account',
    file: 'vendor/member/registration.ts',
    text: 'isRegistrant ? link.profile : unproven(link.profile)',
    replacement: 'link.profile',
    tests: ['vendor/order/test/taken-accounts.test.ts'],
  },
  {
    rule: 'The address of an account changes only by its member',
    file: 'vendor/member/email.ts',
    text: 'if (session.memberId === link.memberId || isSameSession(link, session)) return change;',
    replacement: 'if (link.memberId !== null || isSameSession(link, session)) return change;',
    tests: ['vendor/order/test/taken-accounts.test.ts'],
  },
];
