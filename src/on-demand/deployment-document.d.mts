export * from '../http/pages/deployment-document.ts';
