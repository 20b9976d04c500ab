/**
 * The roles of administrators, and which of them a route requires. Each role may do what the ones before it may.
 */
import { accessKindsOf, defineProblem, type ProblemDefinition, type RouteDeclaration } from '@carton/runtime/service';

/** `reader` reads, `manager` also changes, `owner` also manages administrators and webhooks, and rotates signing keys. */
export const roles = ['reader', 'manager', 'owner'] as const;
export type Role = (typeof roles)[number];

export const managerRequired = defineProblem({
  code: 'manager_required',
  status: 403,
  title: 'The operation requires the role manager or owner',
});
export const ownerRequired = defineProblem({
  code: 'owner_required',
  status: 403,
  title: 'The operation requires the role owner',
});

const problemOf: Record<Role, ProblemDefinition | null> = {
  reader: null,
  manager: managerRequired,
  owner: ownerRequired,
};

/** The role that a route of administrators requires: its declared permission, else `reader` to read, `manager` to change. */
export function requiredRole({ permission, method }: Pick<RouteDeclaration, 'permission' | 'method'>): Role {
  if (permission) return roles.find((role) => role === permission) ?? 'owner';
  return method === 'get' ? 'reader' : 'manager';
}

/** @throws manager_required, owner_required (403) */
export function rejectRole(declaration: RouteDeclaration, role: Role): void {
  const required = requiredRole(declaration);
  if (roles.indexOf(role) >= roles.indexOf(required)) return;
  throw (problemOf[required] as ProblemDefinition)(`You have the role ${role}.`);
}

/** Adds the required role and its problem to the declaration of a route of administrators. */
export function declareRole(declaration: RouteDeclaration): RouteDeclaration {
  if (!accessKindsOf(declaration).includes('admin')) return declaration;
  const role = requiredRole(declaration);
  const problem = problemOf[role];
  const { description, problems = [] } = declaration;
  const sentence = `Administrators need the role \`${role}\`.`;
  return {
    ...declaration,
    description: description ? `${description}\n\n${sentence}` : sentence,
    problems: problem ? [...problems, problem] : problems,
  };
}
