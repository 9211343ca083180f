import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { fetchSettings } from './settings.ts';

const root = createRoot(document.getElementById('root') as HTMLElement);
fetchSettings().then(
  (settings) =>
    root.render(
      <StrictMode>
        <App settings={settings} />
      </StrictMode>,
    ),
  () =>
    root.render(
      <main>
        <h1>The Members' Exchange</h1>
        <p role="alert">The back end of this page does not answer. Reload the page later.</p>
      </main>,
    ),
);
