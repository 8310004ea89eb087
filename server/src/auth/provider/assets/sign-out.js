document.addEventListener('DOMContentLoaded', () => {
  const button = document.querySelector('button[name="logout"]');
  if (button) button.form.requestSubmit(button);
});
