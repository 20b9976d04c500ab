/**
 * The commands of the group `domains`: their options, examples and exit codes.
 */

import { vendor } from '../../vendor.ts';
import { changeCodes, codes } from '../deploy/command.ts';
import type { CommandDefinition } from '../support/definition.ts';

const domains = [{ name: '<domains...>', description: 'such as shop.example.com, or *.shops.example.com' }];

const load = () => import('./run.ts');

export const domainsCommands: readonly CommandDefinition[] = [
  {
    name: 'domains list',
    summary: 'list the domains of the box with their states',
    examples: [`${vendor} domains`],
    codes: [...codes, 'domains_not_proved'],
    isDefault: true,
    load: async () => (await load()).runDomainsList,
  },
  {
    name: 'domains status',
    summary: 'say what is missing until each domain is right',
    options: [
      { flags: '--check', description: 'have the domains checked now' },
      { flags: '--watch', description: 'have them checked until all are right' },
      { flags: '--every <seconds>', description: 'time between two checks of --watch', type: 'seconds', default: 15 },
    ],
    examples: [`${vendor} domains status --check`, `${vendor} domains status --watch`],
    codes: [...codes, 'domains_not_proved'],
    load: async () => (await load()).runDomainsStatus,
  },
  {
    name: 'domains add',
    summary: 'add domains to the box, and print the DNS records that prove them',
    arguments: domains,
    examples: [`${vendor} domains add shop.example.com www.example.com`],
    codes: changeCodes,
    load: async () => (await load()).runDomainsAdd,
  },
  {
    name: 'domains remove',
    summary: 'remove domains from the box',
    arguments: domains,
    examples: [`${vendor} domains remove www.example.com`],
    codes: changeCodes,
    load: async () => (await load()).runDomainsRemove,
  },
];
