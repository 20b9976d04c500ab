/**
 * The tiers that boxes are sold in; each has the packages of those before it.
 */
export type Tier = 'basic' | 'growth' | 'enterprise';
export const tiers: readonly Tier[] = ['basic', 'growth', 'enterprise'];
