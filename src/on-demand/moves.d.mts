export * from '../store/moves.ts';
