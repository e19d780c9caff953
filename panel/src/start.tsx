import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api.ts';
import { App } from './app.tsx';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { PartNotLoaded } from './shell/lazy-part.ts';
import { Toasts } from './ui/toasts.tsx';

const root = document.getElementById('panel');
if (!root) throw new Error('index.html has no element #panel.');

window.addEventListener('dragover', keepOut);
window.addEventListener('drop', keepOut);

/** Stops the browser from opening a file that is dropped outside of a file input, which would discard unsaved input. */
function keepOut(event: DragEvent): void {
  const { target, dataTransfer } = event;
  const takesFiles = target instanceof HTMLInputElement && target.type === 'file';
  if (dataTransfer?.types.includes('Files') && !takesFiles) event.preventDefault();
}

createRoot(root, {
  // If a part could not be loaded, the screen shows that. All other errors are logged.
  onCaughtError: (error) => error instanceof PartNotLoaded || console.error(error),
}).render(
  <StrictMode>
    {/* The Content-Security-Policy allows no style elements. */}
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
