/**
 * `deploy`: its options, examples and exit codes.
 */

import { vendor } from '../../vendor.ts';
import { type CommandDefinition, controlPlaneCodes } from '../support/definition.ts';

/** How a command ends that reads or changes the registration of the box. */
export const codes = ['ok', ...controlPlaneCodes, 'not_installed', 'interrupted'] as const;
export const changeCodes = [...codes, 'busy', 'folder_unusable', 'disk_full'] as const;

const load = () => import('./run.ts');

export const deployCommand: CommandDefinition = {
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
};
