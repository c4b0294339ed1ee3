"""Write every generated file anew."""

from tools.generate import api_table, messages

for path, text in {**messages.generated(), **api_table.generated()}.items():
    path.write_text(text)
    print(path)
