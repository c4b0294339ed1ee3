// Prints what Java's own Properties make of many texts: some chosen, the others drawn from a fixed seed out of the pieces
// that matter to the syntax. The answer is the list of pairs, or null where Java refuses the text.

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.StringReader;
import java.util.*;

public class PropertiesFacts {
    static final String[] CHOSEN = {
        "", "\n", "a=b", "a:b", "a b", "a\tb", "a\fb", "a = b", "a : b", "a  b ", "a=", "a", "=b", ":b", " a=b", "a==b", "a=:b", "a = = b",
        "# c=d\na=b", "! c=d\na=b", "  # c=d\na=b", "a=b # not a comment", "a=b\\\n  c", "a=b\\\n# c", "a=b\\\n\nc=d", "a=b\\\r\n  c", "a=b\r\nc=d",
        "a=b\rc=d", "a=b\n\r\n c = d", "a\\=b=c", "a\\:b=c", "a\\ b=c", "\\#a=b", "\\!a=b", "a=\\t\\n\\r\\f\\\\", "a=\\q\\'\\\"", "a=\\u0041\\u00e9",
        "a=\\u004", "a=\\uZZZZ", "a=b\\", "a\\", "\\", "a=b\\\\\nc=d", "a=b\\\\\\\nc=d", "\\u0061\\u003d=\\u0020x", "a=b\na=c", "a=b\n a = c\n",
        "# comment \\\na=b", "a=\\\n\\\n  b", "a=b  \\\n  c  ", "ключ=значение", "a=\ud83d\ude00", "a\\\nb=c", "a\\\n =c", "a=b\n#", "\\\na=b", "a\\\n"};
    static final String[] PIECES = {
        "a", "b", "key", "=", ":", " ", "\t", "\f", "\n", "\r", "\r\n", "\\", "\\\n", "\\\r\n", "#", "!", "\\u0041", "\\u00", "\\t", "\\=", "é", "x.y", "\\\\"};

    public static void main(String[] arguments) throws Exception {
        List<String> texts = new ArrayList<>(List.of(CHOSEN));
        Random random = new Random(20250101);
        while (texts.size() < 1000) {
            StringBuilder text = new StringBuilder();
            for (int length = 1 + random.nextInt(14); length > 0; length--) text.append(PIECES[random.nextInt(PIECES.length)]);
            texts.add(text.toString());
        }
        List<Object> out = new ArrayList<>();
        for (String text : texts) {
            Map<String, Object> pairs = new TreeMap<>();
            try {
                Properties properties = new Properties();
                properties.load(new StringReader(text));
                properties.forEach((key, value) -> pairs.put((String) key, value));
                out.add(Arrays.asList(text, pairs));
            } catch (IllegalArgumentException malformed) {
                out.add(Arrays.asList(text, null));
            }
        }
        System.out.println(new ObjectMapper().writeValueAsString(out));
    }
}
