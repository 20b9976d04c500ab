/**
 * `deploy` and the commands of the group `domains`.
 */
import { vendor } from '../vendor.ts';
import { type CommandDefinition, controlPlaneCodes } from './definition.ts';

const load = () => import('../commands/run-deploy.ts');
const codes = ['ok', ...controlPlaneCodes, 'not_installed', 'interrupted'] as const;
const changeCodes = [...codes, 'busy', 'folder_unusable', 'disk_full'] as const;
const domains = [{ name: '<domains...>', description: 'such as shop.example.com, or *.shops.example.com' }];

export const domainCommands: readonly CommandDefinition[] = [
  {
    name: 'deploy',
    summary: 'register the box with its URLs and domains at the control plane',
    options: [
      { flags: '--name <name>', description: 'name of the box among those of the customer' },
      { flags: '--url <url>', description: 'public https URL of the box' },
      { flags: '--storefront <url>', description: 'public https URL of the storefront' },
      { flags: '--domain <domains...>', description: 'all domains of the box, in place of the present ones' },
      { flags: '--new-hosting-secret', description: 'replace the secret of the website hosting layer' },
    ],
    examples: [
      `${vendor} deploy --name berlin --url https://box.example.com --domain shop.example.com`,
      `${vendor} deploy                       # again, as it is registered`,
    ],
    codes: changeCodes,
    load: async () => (await load()).runDeploy,
  },
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
