/**
 * The package catalogue for whoever wants to know what a tier holds.
 */
import { object, oneOf, routeFor, Type } from '@carton/runtime/service';
import { PackageName, Tier } from '../schemas.ts';
import type { CommonCallers, CommonServices } from '../services.ts';
import { catalogue } from './catalogue.ts';

const route = routeFor<CommonServices, CommonCallers>();

const CatalogueRoute = object(
  {
    method: oneOf(['get', 'post', 'put', 'patch', 'delete']),
    path: Type.String({ examples: ['/orders/:id'] }),
    operationId: Type.String(),
    access: Type.Array(Type.String(), { description: 'Who may call: any one of these' }),
    permission: Type.Optional(Type.String({ description: 'The right a member of staff needs' })),
    beyond: Type.Optional(Type.Literal(true, { description: "Not one of the contract's routes, but beyond them" })),
  },
  { $id: 'CatalogueRoute' },
);

const CataloguePackage = object(
  {
    name: PackageName,
    tier: Tier,
    version: Type.String(),
    description: Type.String(),
    dependencies: Type.Array(PackageName),
    routes: Type.Array(CatalogueRoute),
    migrations: Type.Array(Type.String(), { description: 'File names, in the order in which they run' }),
  },
  { $id: 'CataloguePackage' },
);

const readCatalogue = route(
  {
    method: 'get',
    path: '/catalogue',
    operationId: 'readCatalogue',
    tag: 'Catalogue',
    summary: 'Read what every package is, holds and serves',
    access: 'public',
    status: 200,
    response: object({ packages: Type.Array(CataloguePackage) }, { $id: 'Catalogue' }),
    cacheControl: 'public, max-age=300',
  },
  () => catalogue as never,
);

export const catalogueRoutes = [readCatalogue];
