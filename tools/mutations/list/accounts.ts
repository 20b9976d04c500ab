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
  {
    rule: 'A key ends with the one that created it',
    file: 'vendor/api-key/access.ts',
    text: "for (const ancestor of ancestors) refuseEnded(ancestor, 'The API key that created this one');",
    replacement: '',
    tests: ['vendor/api-key/test/children.test.ts'],
  },
  {
    rule: 'The keys below a revoked key are revoked',
    file: 'vendor/api-key/service.ts',
    text: `const key = await apiKeys.lock(tx, id);
    await eachBelow(tx, id, (below) => revokeLocked(tx, below));`,
    replacement: 'const key = await apiKeys.lock(tx, id);',
    tests: ['vendor/api-key/test/children.test.ts'],
  },
  {
    rule: 'A key never has more rights than those above it',
    file: 'vendor/api-key/lineage.ts',
    text: '[{ id, scopes }, ...ancestors].map(',
    replacement: '[{ id, scopes }].map(',
    tests: ['vendor/api-key/test/children.test.ts'],
  },
  {
    rule: 'A key does not outlast the one that creates it',
    file: 'vendor/api-key/lineage.ts',
    text: 'if (Date.parse(expiresAt) > Date.parse(limit))',
    replacement: 'if (Date.parse(expiresAt) < 0)',
    tests: ['vendor/api-key/test/children.test.ts'],
  },
  {
    rule: 'A key strengthens and takes over only keys that end with it',
    file: 'vendor/api-key/lineage.ts',
    text: "if (staff.type !== 'api_key' || staff.id === key.id || ancestors.some(({ id }) => id === staff.id)) return;",
    replacement: "if (staff.type !== 'api_key' || ancestors.length >= 0) return;",
    tests: ['vendor/api-key/test/children.test.ts'],
  },
  {
    rule: 'Nobody rotates a key with more rights',
    file: 'vendor/api-key/service.ts',
    text: 'refuseGrantBeyond(staff, locked.scopes);',
    replacement: '',
    tests: ['vendor/api-key/test/children.test.ts'],
  },
  {
    rule: 'The keys that a rotated key has created end',
    file: 'vendor/api-key/service.ts',
    text: 'await eachBelow(tx, id, (below) => revokeLocked(tx, below));\n    const { key, hash',
    replacement: 'const { key, hash',
    tests: ['vendor/api-key/test/children.test.ts'],
  },
  {
    rule: 'A key for mails does not pass on the secrets of members',
    file: 'vendor/notification/templates.ts',
    text: 'if (template.opens !== undefined && !permits(staff.permissions, template.opens)) {',
    replacement: "if (template.opens === '*' && !permits(staff.permissions, template.opens)) {",
    tests: ['scripts/test/reserved-secrets.test.ts'],
  },
  {
    rule: 'Texts with links to accounts of staff need all permissions',
    file: 'vendor/notification/templates.ts',
    text: '!permits(staff.permissions, template.opens)) {',
    replacement: "!permits(staff.permissions, template.opens.replace('*', 'auth:write'))) {",
    tests: ['vendor/api-key/test/owners.test.ts'],
  },
  {
    rule: 'A key for settings does not move the links of members',
    file: 'vendor/core/store-settings.ts',
    text: 'if (permission === undefined || value === present[setting]) continue;',
    replacement: 'if (permission === undefined || value !== null) continue;',
    tests: ['scripts/test/reserved-secrets.test.ts'],
  },
];
