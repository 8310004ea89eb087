import '../testing/browser.ts';
import { fireEvent, render, screen } from '@testing-library/react';
import { useLayoutEffect, useState } from 'react';
import { createMemoryRouter, useNavigate } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { expect, it, vi } from 'vitest';
import { Confirmations } from '../components/overlay/confirm.tsx';
import { loadFloating } from '../components/overlay/floating.tsx';
import { useUnsavedBlocker, useUnsavedGuard } from './use-unsaved-guard.ts';

it('does not ask about a form that is left in the step in which it was saved', async () => {
  await loadFloating();
  const Form = () => {
    const [isDirty, setDirty] = useState(true);
    useUnsavedBlocker();
    useUnsavedGuard(isDirty, 'id');
    const navigate = useNavigate();
    useLayoutEffect(() => {
      if (!isDirty) void navigate('/list');
    }, [isDirty, navigate]);
    return (
      <button type="button" onClick={() => setDirty(false)}>
        Save
      </button>
    );
  };
  const routes = [
    { path: '/form', Component: Form },
    { path: '/list', element: <p>List</p> },
  ];
  render(
    <>
      <Confirmations />
      <RouterProvider router={createMemoryRouter(routes, { initialEntries: ['/form'] })} />
    </>,
  );
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await Promise.race([screen.findByText('List'), screen.findByRole('dialog')])).toBe(screen.getByText('List'));
});

it('asks about a form with unsaved changes below one without', async () => {
  await loadFloating();
  const Form = ({ isDirty, panel }: { isDirty: boolean; panel: string }) => {
    useUnsavedGuard(isDirty, panel);
    return null;
  };
  const Page = () => {
    useUnsavedBlocker();
    const navigate = useNavigate();
    return (
      <>
        <Form isDirty panel="id" />
        <Form isDirty={false} panel="inner" />
        <button type="button" onClick={() => void navigate('/list')}>
          Leave
        </button>
      </>
    );
  };
  const routes = [
    { path: '/form', Component: Page },
    { path: '/list', element: <p>List</p> },
  ];
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  render(
    <>
      <Confirmations />
      <RouterProvider router={createMemoryRouter(routes, { initialEntries: ['/form'] })} />
    </>,
  );
  fireEvent.click(screen.getByRole('button', { name: 'Leave' }));
  expect(await Promise.race([screen.findByText('List'), screen.findByRole('dialog')])).toBe(screen.getByRole('dialog'));
  expect(warned).not.toHaveBeenCalled();
});
