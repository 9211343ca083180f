export * from '../sandbox-object/simulation.ts';
