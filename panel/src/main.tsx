import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api.ts';
import { App } from './app.tsx';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { PartNotLoaded } from './shell/lazy-part.ts';
import { Toasts } from './ui/toasts.tsx';
import './styles.css';

const root = document.getElementById('panel');
if (!root) throw new Error('index.html has no element #panel.');

window.addEventListener('dragover', keepOut);
window.addEventListener('drop', keepOut);

/** Prevents that a file dropped outside a file input opens in the tab, which would discard the panel and its unsaved input. */
function keepOut(event: DragEvent): void {
  const { target, dataTransfer } = event;
  const takesFiles = target instanceof HTMLInputElement && target.type === 'file';
  if (dataTransfer?.types.includes('Files') && !takesFiles) event.preventDefault();
}

createRoot(root, {
  // The screen shows a part that could not be loaded; every other error is also logged.
  onCaughtError: (error) => error instanceof PartNotLoaded || console.error(error),
}).render(
  <StrictMode>
    {/* The content security policy allows no style elements. */}
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <Toasts>
          <ErrorBoundary>
            <App />
          </ErrorBoundary>
        </Toasts>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
