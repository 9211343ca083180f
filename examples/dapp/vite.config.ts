import { defineConfig } from 'vite';

export default defineConfig({
  build: { target: 'es2022', assetsInlineLimit: 0 },
  // `npm run dev` of Vite, beside `npm start`.
  server: {
    proxy: Object.fromEntries(
      ['/settings.json', '/challenge', '/session', '/pass', '/rpc'].map((path) => [path, 'http://127.0.0.1:8090']),
    ),
  },
});
