"""Write every generated file anew."""

from tools.generate import messages

for path, text in messages.generated().items():
    path.write_text(text)
    print(path)
