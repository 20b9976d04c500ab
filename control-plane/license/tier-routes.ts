/**
 * The packages of a licence, and changes of its tier.
 */
import { object, routeFor, Type } from '@carton/runtime/service';
import { noRelease } from '../releases/problems.ts';
import { Channel, Entitlement } from '../releases/schemas.ts';
import type { Releases } from '../releases/service.ts';
import { Tier } from '../schemas.ts';
import { type CommonCallers, type CommonServices, changesFor } from '../services.ts';
import { licenseTierUnchanged, revokedForGood } from './problems.ts';
import { License } from './schemas.ts';
import { changeTier, explainPackages, previewTierChange } from './tier-change.ts';

const route = routeFor<CommonServices & { releases: Releases }, CommonCallers>();
const change = changesFor();
const tag = 'Licences';
const access = 'admin';

const release = { channel: Channel, version: Type.String({ description: 'Version of the release' }) };

const listPackages = route(
  {
    method: 'get',
    path: '/license/keys/:id/packages',
    operationId: 'listLicensePackages',
    tag,
    summary: 'List the packages of a licence, with the reason for each',
    description: 'Those of an activation with the current release of its channel.',
    access,
    status: 200,
    response: object({ tier: Tier, ...release, packages: Type.Array(Entitlement) }, { $id: 'LicensePackages' }),
    problems: [noRelease],
  },
  ({ params, ...services }) => explainPackages(services, params.id),
);

const readTierChange = route(
  {
    method: 'get',
    path: '/license/keys/:id/tier-change',
    operationId: 'previewTierChange',
    tag,
    summary: 'Read what a change of tier would gain and lose',
    description:
      'Nothing is changed. Packages that are gained have their reasons in the new tier, those that are lost in the present one.',
    access,
    query: object({ tier: Tier }),
    status: 200,
    response: object(
      { from: Tier, to: Tier, ...release, gained: Type.Array(Entitlement), lost: Type.Array(Entitlement) },
      { $id: 'TierChange' },
    ),
    problems: [noRelease],
  },
  ({ params, query, ...services }) => previewTierChange(services, params.id, query.tier),
);

const changeTierOfLicense = change(
  {
    method: 'post',
    path: '/license/keys/:id/tier-change',
    operationId: 'changeLicenseTier',
    tag,
    summary: 'Change the tier of a licence',
    description:
      'The key stays the same, although it names the tier that it was minted for. The next activation has the packages of the new tier; activation tokens issued before keep theirs until they expire. Running boxes are not affected until they are installed again.',
    access,
    body: object({ tier: Tier }, { $id: 'ChangeTier' }),
    status: 200,
    response: License,
    problems: [licenseTierUnchanged, revokedForGood],
  },
  ({ db, params, body }) => changeTier(db, params.id, body.tier),
);

export const tierRoutes = [listPackages, readTierChange, changeTierOfLicense];
