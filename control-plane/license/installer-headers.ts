/**
 * What an installer says about itself in the headers of an activation. The body has the key only (contract, ActivateDto),
 * and older installers send none of these: a header that is missing or invalid is ignored.
 */
import { matches, Type, Uuid, withOptions } from '@carton/runtime/service';

/** The headers, each optional. */
export const installerHeaders = {
  'Installation-Id': withOptions(Uuid, {
    description:
      'A random UUID that the installer has created once for the folder of the box. All activations without it count as one installation',
  }),
  'Installer-Version': Type.String({
    maxLength: 64,
    pattern: '^[0-9A-Za-z][0-9A-Za-z.+-]*$',
    description: 'Version of the installer',
    examples: ['0.2.0'],
  }),
  'Installation-Platform': Type.String({
    maxLength: 64,
    pattern: '^[a-z0-9]+-[a-z0-9_]+$',
    description: 'Operating system and CPU',
    examples: ['linux-x64'],
  }),
};

/** The id of the installation that all activations without an id count as. */
export const unnamedInstallation = '00000000-0000-0000-0000-000000000000';

/** Null for what was not said. */
export interface InstallerReport {
  installationId: string | null;
  version: string | null;
  platform: string | null;
}

/** Reads the headers. @param header returns a header; empty if it was not sent */
export function readInstallerHeaders(header: (name: string) => string): InstallerReport {
  const read = (name: keyof typeof installerHeaders) => {
    const value = header(name);
    return matches(installerHeaders[name], value) ? value : null;
  };
  const installationId = read('Installation-Id')?.toLowerCase() ?? null;
  return {
    installationId: installationId === unnamedInstallation ? null : installationId,
    version: read('Installer-Version'),
    platform: read('Installation-Platform'),
  };
}
